/** Node gives one character for each byte of a header: those beyond ASCII are UTF-8, as upstream reads them. */
export function fromBytes(text: string): string {
  return /[\u0080-\u00ff]/.test(text) ? Buffer.from(text, 'latin1').toString('utf8') : text
}
