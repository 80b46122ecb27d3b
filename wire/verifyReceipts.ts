/** The result of checking an export of receipts. */
export interface ReceiptCheck {
  receipts: number
  lastHash: string | null
  /** The first line, from 1, that does not follow from the one before, with the reason; null: the chain is intact. */
  broken: { line: number; reason: string } | null
}

const FIELDS = 14

/**
 * Checks an export of retention receipts: one receipt a line, its canonical form, a space, and the SHA-256 of that form.
 * docs/retention.md has the fields.
 */
export async function verifyReceipts(text: string): Promise<ReceiptCheck> {
  let before: { workspace: string | undefined; hash: string } = { workspace: undefined, hash: '0'.repeat(64) }
  const lines = text.split('\n')
  // A line that was cut off has no line break.
  if (lines.at(-1) === '') lines.pop()
  for (const [index, line] of lines.entries()) {
    const canonical = line.slice(0, line.lastIndexOf(' '))
    const fields = canonical.split(' ')
    const hash = line.slice(canonical.length + 1)
    const [version, workspace, number] = fields
    const broken = (reason: string): ReceiptCheck => ({
      receipts: index,
      lastHash: index ? before.hash : null,
      broken: { line: index + 1, reason },
    })
    if (version !== 'linnet-retention-1' || fields.length !== FIELDS) return broken('it is not a receipt')
    if (number !== String(index + 1)) return broken(`its number is ${number}, not ${index + 1}`)
    if (before.workspace !== undefined && workspace !== before.workspace) {
      return broken('it is of another workspace')
    }
    if (fields[FIELDS - 1] !== before.hash)
      return broken('it does not contain the hash of the receipt before')
    if (hash !== (await sha256(canonical))) return broken('its hash does not match what it records')
    before = { workspace, hash }
  }
  return { receipts: lines.length, lastHash: lines.length ? before.hash : null, broken: null }
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
