import type { RowBytes } from '../../postgres/connections/RowInterceptor.ts'

/** The result row of a request's statement. */
export interface StatementResult {
  total: string | null
  rows: number
  /** The bytes from PostgreSQL, sent without decoding. */
  body: Buffer | null
  headers: string | null
  status: string | null
  location: string | null
  inserted: string | null
  /** The planner's estimate, if requested. */
  planned: number | null
}

/**
 * Parses the result row of a request's statement; the content stays bytes.
 * @param estimateRow the row of the EXPLAIN statement, if any
 */
export function parseResult(row: RowBytes, estimateRow: RowBytes | undefined): StatementResult {
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
    planned: estimateRow ? parseEstimate(estimateRow) : null,
  }
}

/** The row estimate in the result of EXPLAIN (FORMAT JSON). */
function parseEstimate([text]: RowBytes): number | null {
  const [explained] = JSON.parse(text?.toString() ?? '[]') as { Plan?: { 'Plan Rows'?: number } }[]
  return explained?.Plan?.['Plan Rows'] ?? null
}
