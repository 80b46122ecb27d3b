/**
 * Parses a URL, absolute or relative to `base`. Returns null for any other text.
 *
 * It takes the place of `URL.canParse`, which reads the bytes of a Latin-1 string as UTF-8 in Node 20 once its caller is
 * optimised: text that the constructor refuses then counts as a URL, and valid text as none. `URL.parse` needs Node 22.
 */
export function parseUrl(text: string, base?: string | URL): URL | null {
  try {
    return new URL(text, base)
  } catch {
    return null
  }
}
