/** A string, a comment, or a comma before a closing bracket. */
const parts =
  /"(?:[^"\\]|\\[^])*"|\/\/[^\n\r]*|\/\*[^]*?\*\/|,(?=(?:\s|\/\/[^\n\r]*[\n\r]|\/\*[^]*?\*\/)*[}\]])/g

/** Parses JSON with comments and trailing commas. Throws SyntaxError. */
export function parseJsonc(text: string): unknown {
  return JSON.parse(text.replace(parts, (part) => (part.startsWith('"') ? part : ' ')))
}
