import { vary } from './contentHeaders.ts'
import type { Rendered } from './rendered.ts'

/** Answers OPTIONS with the methods that the resource allows. */
export function renderOptions(allowed: string[]): Rendered {
  return {
    status: 200,
    headers: { Allow: allowed.join(','), 'Access-Control-Allow-Origin': '*', ...vary },
    body: '',
  }
}
