import type { IncomingMessage, ServerResponse } from 'node:http'
import { isLocalRequest } from '../runtime/clientAddress/isLocalRequest.ts'
import { isSameToken } from '../runtime/clientAddress/isSameToken.ts'
import { sendJson, noRoute } from './responses.ts'

/** Figures as Prometheus text. */
export interface Metrics {
  render: () => Promise<string>
  /** What the query has to bring; null where nothing can stand before this machine. */
  token: string | null
}

/** No page may read it, of whichever site, and nothing keeps it. */
const headers = {
  'content-type': 'text/plain; version=0.0.4; charset=utf-8',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

function hasToken({ url = '' }: IncomingMessage, token: string): boolean {
  return isSameToken(new URLSearchParams(url.split('?')[1] ?? '').get('token') ?? '', token)
}

/** Answers `/metrics`: to people and programs at this machine, as if it were not there to all others. */
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
