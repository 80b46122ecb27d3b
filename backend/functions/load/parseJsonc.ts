/**
 * Parses JSON as people write it in `deno.json`, `deno.jsonc` and `import_map.json`: with comments and trailing
 * commas. Throws SyntaxError.
 */
export function parseJsonc(text: string): unknown {
  // Strings are matched first, so that `//` inside an address is no comment. A comma is dropped where only
  // blanks and comments stand between it and the closing bracket.
  const plain = text
    .replace(/^\uFEFF/, '')
    .replace(/"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (part) => (part.startsWith('"') ? part : ' '))
    .replace(/"(?:\\.|[^"\\])*"|,(?=\s*[}\]])/g, (part) => (part === ',' ? '' : part))
  return JSON.parse(plain)
}
