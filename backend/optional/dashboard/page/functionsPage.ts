import { html } from 'hono/html'
import { renderCount, renderEmpty, renderName, renderTable, type Html } from './components.ts'

/** A function of `supabase/functions`. */
export interface EdgeFunction {
  name: string
  verifyJwt: boolean
  enabled: boolean
}

/** Counted since the start. */
export interface FunctionStats {
  requests: number
  /** Current number. */
  workers: number
  crashes: number
  /** Stopped because they exceeded a limit of time or memory. */
  kills: number
}

/** The functions at `/functions/v1/<name>`. */
export function renderFunctions(o: {
  base: string
  url: string
  functions: EdgeFunction[]
  stats: FunctionStats
}): Html {
  if (o.functions.length === 0)
    return renderEmpty(html`No functions yet. Create one as <code>supabase/functions/name/index.ts</code>.`)
  const { requests, workers, crashes, kills } = o.stats
  return html`<p class="lead">
      ${renderCount(requests)} calls since the start; ${renderCount(workers)} workers now.
      ${crashes === 0 ? '' : `${renderCount(crashes)} crashed.`}
      ${kills === 0 ? '' : `${renderCount(kills)} were stopped at a limit.`}
    </p>
    ${renderTable({
      name: 'Edge functions',
      head: html`<th scope="col">Name</th>
        <th scope="col">Access</th>
        <th scope="col" class="wide">URL</th>
        <th scope="col">Log</th>`,
      rows: o.functions.map(
        ({ name, verifyJwt, enabled }) =>
          html`<tr>
            <th scope="row">
              ${renderName(name)} ${enabled ? '' : html`<span class="soft">disabled</span>`}
            </th>
            <td>${verifyJwt ? 'with a token of this server' : 'public'}</td>
            <td class="wide"><code>${o.url}/functions/v1/${name}</code></td>
            <td>
              <a href="${o.base}/logs?${new URLSearchParams({ part: `function:${name}` })}"
                >Show<span class="visually-hidden"> the log of ${name}</span></a
              >
            </td>
          </tr>`,
      ),
    })}`
}
