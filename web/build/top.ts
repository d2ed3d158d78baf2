// The beginning of every page's header: the mark, the page's name for those who hear it, and the five places. A page says which place it is, and
// what it is called: `<!-- top: Papers, Papers -->`; a dash stands for none.

const LOGO = `<svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
        <rect x="2" y="2" width="28" height="28" rx="6" class="logo-frame"/>
        <rect x="7" y="7" width="8" height="8" rx="1.5" class="logo-a"/><rect x="17" y="7" width="8" height="8" rx="1.5" class="logo-b"/>
        <rect x="7" y="17" width="8" height="8" rx="1.5" class="logo-b"/><rect x="17" y="17" width="8" height="8" rx="1.5" class="logo-a"/>
      </svg>`;
const PLACES = [
  { name: "Run", href: "./" },
  { name: "Schemes", href: "./sweeps.html" },
  { name: "Papers", href: "./figures.html" },
  { name: "Learn", href: "./learn.html" },
  { name: "Make", href: "./#make" },
];

/** A page with its header. */
export function withTop(html: string): string {
  return html.replace(/<!-- top: ([\w-]+)(?:, (\w+))? -->/, (_, place: string, title: string | undefined) => {
    const links = PLACES.map(({ name, href }) => {
      // On Run it opens the form where it is.
      const form = name === "Make" && place === "Run" ? ' id="make" aria-controls="editor"' : "";
      // Where one is, there is nowhere to go.
      return name === place ? `<a aria-current="page">${name}</a>` : `<a href="${href}"${form}>${name}</a>`;
    });
    const heading = title ? `<h1 class="hidden">${title}</h1>` : "";
    return `<div class="brand">
      ${LOGO}
      <span class="name">Corun</span>${heading}
    </div>
    <nav class="pages" aria-label="Places">${links.join("")}</nav>`;
  });
}
