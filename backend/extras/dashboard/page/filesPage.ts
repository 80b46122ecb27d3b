import { html } from 'hono/html'
import type { Buckets } from '../facts/buckets.ts'
import { renderBytes, renderCount, renderEmpty, renderName, renderTable, type Html } from './parts.ts'

/** Buckets, who may read them, and how much lies in them. */
export function renderFiles({
  base,
  buckets: { buckets, contents, estimate },
}: {
  base: string
  buckets: Buckets
}): Html {
  if (buckets.length === 0)
    return renderEmpty('No buckets yet. A migration makes them, or createBucket with a secret key.')
  const bytes = contents === null ? null : [...contents.values()].reduce((sum, { bytes }) => sum + bytes, 0)
  return html`<p class="lead">
      ${bytes === null ? `About ${renderCount(estimate)} objects.` : `${renderBytes(bytes)} in all.`}
    </p>
    ${renderTable({
      name: 'Buckets',
      head: html`<th scope="col">Bucket</th>
        <th scope="col">Who may read</th>
        <th scope="col" class="number">Objects</th>
        <th scope="col" class="number">Size</th>
        <th scope="col" class="wide">Allowed</th>`,
      rows: buckets.map((bucket) => {
        const inside = contents?.get(bucket.id) ?? (contents === null ? null : { objects: 0, bytes: 0 })
        const limits = [
          ...(bucket.sizeLimit === null ? [] : [`up to ${renderBytes(bucket.sizeLimit)}`]),
          ...(bucket.types?.length ? [bucket.types.join(', ')] : []),
        ]
        return html`<tr>
          <th scope="row">${renderName(bucket.id)}</th>
          <td>${bucket.public ? 'Everyone, by its address' : 'Whom its policies let'}</td>
          <td class="number">${inside === null ? '' : renderCount(inside.objects)}</td>
          <td class="number">${inside === null ? '' : renderBytes(inside.bytes)}</td>
          <td class="wide">${limits.join('; ') || 'any file'}</td>
        </tr>`
      }),
    })}
    ${
      contents === null
        ? html`<form method="post" action="${base}/files"><button>Count them</button></form>`
        : ''
    }`
}
