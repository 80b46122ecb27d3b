import { get as getPlain } from 'node:http'
import { get as getSecure } from 'node:https'

/** Figures by their names in `/metrics`, summed over their labels; durations in seconds. */
export type Figures = ReadonlyMap<string, number>

const patienceMs = 5_000

/**
 * Reads the figures of the server that runs on this machine.
 * `hidden`: it answers, but keeps them to itself, as it does when it listens on no loopback address;
 * `silent`: it does not answer.
 */
export async function readFigures(url: string): Promise<Figures | 'hidden' | 'silent'> {
  try {
    const { status, text } = await fetchText(url)
    return status === 200 ? parseFigures(text) : 'hidden'
  } catch {
    return 'silent'
  }
}

/** Its certificate is for its public name; this is a line within the machine. */
function fetchText(url: string): Promise<{ status: number; text: string }> {
  const signal = AbortSignal.timeout(patienceMs)
  return new Promise((resolve, reject) => {
    const asked = url.startsWith('https:')
      ? getSecure(url, { signal, rejectUnauthorized: false, agent: false })
      : getPlain(url, { signal, agent: false })
    asked.on('error', reject)
    asked.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode!, text }))
    })
  })
}

/** Each under `name{labels}` too, and summed by class of status: `name 5xx`. */
function parseFigures(text: string): Figures {
  const figures = new Map<string, number>()
  const add = (name: string, value: number): void => void figures.set(name, (figures.get(name) ?? 0) + value)
  for (const line of text.split('\n')) {
    const parts = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line)
    if (!parts || line.startsWith('#')) continue
    const [, name = '', labels = '', value] = parts
    add(name, Number(value))
    if (labels !== '') add(`${name}{${labels}}`, Number(value))
    const status = /status="(\w+)"/.exec(labels)?.[1]
    if (status) add(`${name} ${status}`, Number(value))
  }
  return figures
}
