/// <reference types="vite/client" />

/** How often verdicts have held (vite.config.ts). */
declare const __VERDICTS__: import("./model/rate.ts").Rate | null;
declare const __SCALES__: readonly import("./model/scaled.ts").Measured[];

/** The engine of the npm package, which stands beside the built elements (build/embed.config.ts). */
declare module "#corun";
