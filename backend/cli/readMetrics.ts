import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'

/** Metrics by their names in `/metrics`, summed over their labels; durations in seconds. */
export type MetricValues = ReadonlyMap<string, number>

const timeoutMs = 5_000

/**
 * Fetches the metrics of the server that runs on this machine.
 * `forbidden`: the server refuses, as it does when it listens on no loopback address;
 * `unreachable`: it does not respond.
 */
export async function readMetrics(url: string): Promise<MetricValues | 'forbidden' | 'unreachable'> {
  try {
    const { status, text } = await fetchText(url)
    return status === 200 ? parseMetrics(text) : 'forbidden'
  } catch {
    return 'unreachable'
  }
}

/** Does not verify the certificate, which is for the public name: the connection stays on this machine. */
function fetchText(url: string): Promise<{ status: number; text: string }> {
  const signal = AbortSignal.timeout(timeoutMs)
  return new Promise((resolve, reject) => {
    const request = url.startsWith('https:')
      ? getHttps(url, { signal, rejectUnauthorized: false, agent: false })
      : getHttp(url, { signal, agent: false })
    request.on('error', reject)
    request.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode!, text }))
    })
  })
}

/** Adds each value as `name`, as `name{labels}` and by class of status: `name 5xx`. */
function parseMetrics(text: string): MetricValues {
  const values = new Map<string, number>()
  const add = (name: string, value: number): void => void values.set(name, (values.get(name) ?? 0) + value)
  for (const line of text.split('\n')) {
    const match = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line)
    if (!match || line.startsWith('#')) continue
    const [, name = '', labels = '', value] = match
    add(name, Number(value))
    if (labels !== '') add(`${name}{${labels}}`, Number(value))
    const status = /status="(\w+)"/.exec(labels)?.[1]
    if (status) add(`${name} ${status}`, Number(value))
  }
  return values
}
