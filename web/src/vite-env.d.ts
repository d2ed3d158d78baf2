/// <reference types="vite/client" />

/** How often verdicts have held (vite.config.ts). */
declare const __VERDICTS__: import("./run/rate.ts").Rate | null;
