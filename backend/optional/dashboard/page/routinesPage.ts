import { html } from 'hono/html'
import type { Routine } from '../queries/routines.ts'
import { renderEmpty, renderName, renderTable, type Html } from './components.ts'

/** Functions that can be called through the data API. */
export function renderRoutines(o: {
  base: string
  routines: Routine[]
  schemas: string[]
  search: string
}): Html {
  const found = o.routines.filter(({ schema, name }) =>
    `${schema}.${name}`.toLowerCase().includes(o.search.toLowerCase()),
  )
  const hasSeveralSchemas = new Set(o.routines.map(({ schema }) => schema)).size > 1
  const callers = ({ anon, authenticated }: Routine): string =>
    anon ? 'anyone with the public key' : authenticated ? 'signed-in users' : 'secret keys only'
  return html`<p class="lead">Functions at /rest/v1/rpc, in ${o.schemas.join(', ')}.</p>
    <form class="filter" role="search" action="${o.base}/routines">
      <label>Find a function<input type="search" name="search" value="${o.search}" /></label>
      <button>Find</button>
    </form>
    ${
      found.length === 0
        ? renderEmpty(
            o.search === '' ? 'No functions in these schemas.' : `No function has “${o.search}” in its name.`,
          )
        : renderTable({
            name: 'Functions',
            head: html`<th scope="col">Function</th>
              <th scope="col">Access</th>
              <th scope="col">Runs as</th>
              <th scope="col" class="wide">Returns</th>`,
            rows: found.map(
              (routine) =>
                html`<tr>
                  <th scope="row">
                    ${renderName(hasSeveralSchemas ? `${routine.schema}.${routine.name}` : routine.name)}<code
                      class="under"
                      >(${routine.arguments})</code
                    >
                    ${routine.comment === null ? '' : html`<span class="under soft">${routine.comment}</span>`}
                  </th>
                  <td>${callers(routine)}</td>
                  <td class="short">${routine.asOwner ? 'its owner' : 'the caller'}</td>
                  <td class="wide"><code>${routine.result}</code></td>
                </tr>`,
            ),
          })
    }`
}
