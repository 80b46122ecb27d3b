import { OutboundError, type Ask, type Outbound } from './createOutbound.ts'

/** Fetches JSON from a provider. Throws OutboundError for an error status or invalid JSON. */
export async function askJson(outbound: Outbound, url: string, ask: Ask = {}): Promise<unknown> {
  const { status, text } = await outbound.ask(url, ask)
  const { host } = new URL(url)
  if (status < 200 || status > 299) throw new OutboundError(`${host} answered ${status}`)
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new OutboundError(`${host} answered with something that is no JSON`)
  }
}
