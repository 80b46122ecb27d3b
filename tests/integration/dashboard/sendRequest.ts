import { request, type IncomingHttpHeaders } from 'node:http'

export interface TestResponse {
  status: number
  text: string
  headers: IncomingHttpHeaders
}

/** Sends a request with headers that fetch does not allow to set, without following redirects. */
export function sendRequest(
  url: string,
  o: { method?: string; headers?: Record<string, string> } = {},
): Promise<TestResponse> {
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
