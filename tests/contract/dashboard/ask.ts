import { request, type IncomingHttpHeaders } from 'node:http'

export interface Answer {
  status: number
  text: string
  headers: IncomingHttpHeaders
}

/** With headers that fetch would not let us choose; follows nothing. */
export function ask(
  url: string,
  o: { method?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', headers = {} } = o
    request(url, { method, headers, agent: false }, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => (text += chunk.toString()))
      response.on('end', () => resolve({ status: response.statusCode!, text, headers: response.headers }))
    })
      .on('error', reject)
      .end()
  })
}
