import type { RowBytes } from '../../postgres/connections/RowInterceptor.ts'

/** The row that a statement answered with. */
export interface Answer {
  total: string | null
  rows: number
  /** As the server sent it: not to be decoded only to be sent on. */
  body: Buffer | null
  headers: string | null
  status: string | null
  location: string | null
  inserted: string | null
  /** The planner's guess, where it was asked for. */
  planned: number | null
}

/**
 * Reads the row of a request's statement, its content left as the bytes that it is.
 * @param guessed the row of the statement that asked for the planner's guess, where one did
 */
export function readAnswer(row: RowBytes, guessed: RowBytes | undefined): Answer {
  const [total, rows, body = null, headers, status, location, inserted] = row
  const text = (field: Buffer | null | undefined): string | null => field?.toString() ?? null
  return {
    total: text(total),
    rows: Number(rows),
    body,
    headers: text(headers),
    status: text(status),
    location: text(location),
    inserted: text(inserted),
    planned: guessed ? plannedRows(guessed) : null,
  }
}

/** The guess in the answer of EXPLAIN (FORMAT JSON). */
function plannedRows([text]: RowBytes): number | null {
  const [explained] = JSON.parse(text?.toString() ?? '[]') as { Plan?: { 'Plan Rows'?: number } }[]
  return explained?.Plan?.['Plan Rows'] ?? null
}
