import { html } from 'hono/html'
import type { Buckets } from '../queries/buckets.ts'
import { renderBytes, renderCount, renderEmpty, renderName, renderTable, type Html } from './components.ts'

/** Buckets with their access and contents. */
export function renderFiles({
  base,
  buckets: { buckets, contents, estimate },
}: {
  base: string
  buckets: Buckets
}): Html {
  if (buckets.length === 0)
    return renderEmpty('No buckets yet. Create one in a migration, or with createBucket and a secret key.')
  const bytes = contents === null ? null : [...contents.values()].reduce((sum, { bytes }) => sum + bytes, 0)
  return html`<p class="lead">
      ${bytes === null ? `About ${renderCount(estimate)} objects.` : `${renderBytes(bytes)} in total.`}
    </p>
    ${renderTable({
      name: 'Buckets',
      head: html`<th scope="col">Bucket</th>
        <th scope="col">Read access</th>
        <th scope="col" class="number">Objects</th>
        <th scope="col" class="number">Size</th>
        <th scope="col" class="wide">Allowed</th>`,
      rows: buckets.map((bucket) => {
        const content = contents?.get(bucket.id) ?? (contents === null ? null : { objects: 0, bytes: 0 })
        const limits = [
          ...(bucket.sizeLimit === null ? [] : [`up to ${renderBytes(bucket.sizeLimit)}`]),
          ...(bucket.types?.length ? [bucket.types.join(', ')] : []),
        ]
        return html`<tr>
          <th scope="row">${renderName(bucket.id)}</th>
          <td>${bucket.public ? 'Anyone with the URL' : 'By its policies'}</td>
          <td class="number">${content === null ? '' : renderCount(content.objects)}</td>
          <td class="number">${content === null ? '' : renderBytes(content.bytes)}</td>
          <td class="wide">${limits.join('; ') || 'any file'}</td>
        </tr>`
      }),
    })}
    ${
      contents === null
        ? html`<form method="post" action="${base}/files"><button>Count objects</button></form>`
        : ''
    }`
}
