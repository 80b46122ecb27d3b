/**
 * Parses JSON with comments and trailing commas, as in `deno.json`, `deno.jsonc` and `import_map.json`. Throws
 * SyntaxError.
 */
export function parseJsonc(text: string): unknown {
  // Strings are matched first, so that `//` in a URL is no comment. A comma is removed if only blanks and comments
  // follow before the closing bracket.
  const plain = text
    .replace(/^\uFEFF/, '')
    .replace(/"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (part) => (part.startsWith('"') ? part : ' '))
    .replace(/"(?:\\.|[^"\\])*"|,(?=\s*[}\]])/g, (part) => (part === ',' ? '' : part))
  return JSON.parse(plain)
}
