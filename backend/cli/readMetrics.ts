import { requestLocally } from '../runtime/requestLocally.ts'

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
    const { status, text } = await requestLocally(url, { timeoutMs })
    return status === 200 ? parseMetrics(text) : 'forbidden'
  } catch {
    return 'unreachable'
  }
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
