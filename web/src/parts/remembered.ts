// What the page remembers in this browser: two short words, and nothing where storage is forbidden.

export function stored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function store(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    /* storage may be forbidden: then it is forgotten */
  }
}
