import type { RowBytes } from '../../postgres/connections/RowInterceptor.ts'
import type { RestRequest } from '../parse/parseRequest.ts'
import type { Plan } from '../plan/plan.ts'
import { contentHeaders, vary } from './contentHeaders.ts'
import type { Rendered } from './rendered.ts'

/** Answers with what EXPLAIN said, a line a row. */
export function renderPlan(request: RestRequest, { output }: Plan, rows: RowBytes[]): Rendered {
  const body = rows.map(([line]) => `${line!.toString()}\n`).join('')
  return {
    status: 200,
    headers: { ...contentHeaders(request, output.media), ...vary },
    body: request.headersOnly ? null : body,
  }
}
