import type { AuditEntry } from '../../../../wire/audit.ts'

type Names = ReadonlyMap<string, string>

/** A spreadsheet evaluates a field that begins with one of these as a formula. */
const FORMULA = /^[\s]*[=+\-@＝＋－＠]/

const field = (text: string): string => `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`

const line = (fields: readonly string[]): string => `${fields.map(field).join(',')}\r\n`

export const CSV_HEAD = line(['time', 'actor_id', 'actor', 'action', 'target', 'reason'])

/** Lines of a CSV file (RFC 4180), without its head. */
export function toCsv(entries: readonly AuditEntry[], names: Names): string {
  return entries
    .map(({ recorded_at, actor_id, action, target, reason }) =>
      line([
        recorded_at,
        actor_id ?? '',
        names.get(actor_id ?? '') ?? '',
        action,
        JSON.stringify(target),
        reason ?? '',
      ]),
    )
    .join('')
}

/** Each entry as a line of JSON, with the name of its actor. */
export function toJsonLines(entries: readonly AuditEntry[], names: Names): string {
  return entries
    .map((entry) => `${JSON.stringify({ ...entry, actor: names.get(entry.actor_id ?? '') ?? null })}\n`)
    .join('')
}
