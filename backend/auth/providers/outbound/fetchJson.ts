import { OutboundError, type OutboundRequest, type Outbound } from './createOutbound.ts'

/** Fetches JSON from a provider. Throws OutboundError for an error status or invalid JSON. */
export async function fetchJson(
  outbound: Outbound,
  url: string,
  request: OutboundRequest = {},
): Promise<unknown> {
  const { status, text } = await outbound.send(url, request)
  const { host } = new URL(url)
  if (status < 200 || status > 299) throw new OutboundError(`${host} responded with status ${status}`)
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new OutboundError(`${host} responded with invalid JSON`)
  }
}
