import { html } from 'hono/html'
import { renderCount, renderEmpty, renderName, renderTable, type Html } from './parts.ts'

/** A function of `supabase/functions` as a list shows it. */
export interface EdgeFunction {
  name: string
  verifyJwt: boolean
  enabled: boolean
}

/** Since the start. */
export interface FunctionFigures {
  requests: number
  /** Now. */
  workers: number
  crashes: number
  /** Ended since they took too much time or memory. */
  kills: number
}

/** Functions that are served at `/functions/v1/<name>`. */
export function renderFunctions(o: {
  base: string
  url: string
  functions: EdgeFunction[]
  figures: FunctionFigures
}): Html {
  if (o.functions.length === 0)
    return renderEmpty(
      html`No functions. A folder in <code>supabase/functions</code> with an index.ts is one.`,
    )
  const { requests, workers, crashes, kills } = o.figures
  return html`<p class="lead">
      ${renderCount(requests)} calls since the start; ${renderCount(workers)} workers now.
      ${crashes === 0 ? '' : `${renderCount(crashes)} broke.`}
      ${kills === 0 ? '' : `${renderCount(kills)} were ended, since they took too much.`}
    </p>
    ${renderTable({
      name: 'Edge functions',
      head: html`<th scope="col">Name</th>
        <th scope="col">Who may call it</th>
        <th scope="col" class="wide">Address</th>
        <th scope="col">Its log</th>`,
      rows: o.functions.map(
        ({ name, verifyJwt, enabled }) =>
          html`<tr>
            <th scope="row">
              ${renderName(name)} ${enabled ? '' : html`<span class="soft">switched off</span>`}
            </th>
            <td>${verifyJwt ? 'who shows a token of this house' : 'everyone'}</td>
            <td class="wide"><code>${o.url}/functions/v1/${name}</code></td>
            <td>
              <a href="${o.base}/logs?${new URLSearchParams({ part: `function:${name}` })}"
                >Show<span class="unseen"> the log of ${name}</span></a
              >
            </td>
          </tr>`,
      ),
    })}`
}
