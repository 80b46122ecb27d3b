import type { IncomingMessage, ServerResponse } from 'node:http'
import { isLocalRequest } from '../runtime/clientAddress/isLocalRequest.ts'
import { isSameToken } from '../runtime/isSameToken.ts'
import { sendJson, noRoute } from './responses.ts'

/** Metrics as Prometheus text. */
export interface Metrics {
  render: () => Promise<string>
  /** The token that the query must contain; null if no proxy can be in front of this server. */
  token: string | null
}

/** Not readable by pages of other sites, and not cached. */
const headers = {
  'content-type': 'text/plain; version=0.0.4; charset=utf-8',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

function hasToken({ url = '' }: IncomingMessage, token: string): boolean {
  return isSameToken(new URLSearchParams(url.split('?')[1] ?? '').get('token') ?? '', token)
}

/** Serves `/metrics` to local requests; others get 404. */
export async function serveMetrics(
  { render, token }: Metrics,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const allowed =
    incoming.method === 'GET' && isLocalRequest(incoming) && (token === null || hasToken(incoming, token))
  if (!allowed) return sendJson(outgoing, noRoute.status, noRoute.body, { 'cache-control': 'no-store' })
  const text = await render()
  outgoing.writeHead(200, headers).end(text)
}
