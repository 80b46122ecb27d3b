import { randomUUID } from 'node:crypto'
import { WebSocket } from 'ws'

const timeoutMs = 10_000

/**
 * Whether realtime accepts anyone with the public key into public channels, which no policy protects: joins one with a
 * random name and leaves. 'unknown' if there is no response.
 */
export function probePublicChannel(url: string, key: string): Promise<'open' | 'closed' | 'unknown'> {
  const address = `${url.replace(/^http/, 'ws')}/realtime/v1/websocket?apikey=${encodeURIComponent(key)}&vsn=1.0.0`
  return new Promise((resolve) => {
    const socket = new WebSocket(address, { handshakeTimeout: timeoutMs })
    const timer = setTimeout(() => end('unknown'), timeoutMs)
    const end = (outcome: 'open' | 'closed' | 'unknown'): void => {
      clearTimeout(timer)
      resolve(outcome)
      socket.terminate()
    }
    socket.on('error', () => end('unknown'))
    socket.on('close', () => end('unknown'))
    socket.on('open', () => {
      const config = { broadcast: { ack: false, self: false }, presence: { key: '' }, private: false }
      const topic = `realtime:linnet-check-${randomUUID()}`
      socket.send(JSON.stringify({ topic, event: 'phx_join', payload: { config }, ref: '1', join_ref: '1' }))
    })
    socket.on('message', (data: Buffer) => {
      const { event, payload } = JSON.parse(data.toString()) as {
        event: string
        payload: { status?: string }
      }
      if (event === 'phx_reply') end(payload.status === 'ok' ? 'open' : 'closed')
    })
  })
}
