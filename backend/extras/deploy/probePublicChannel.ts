import { randomUUID } from 'node:crypto'
import { WebSocket } from 'ws'

const patienceMs = 10_000

/**
 * Whether realtime lets anyone with the public key into a channel that no policy guards: joins one of a random
 * name, says nothing there and leaves. 'silent' where it can't be told.
 */
export function probePublicChannel(url: string, key: string): Promise<'open' | 'closed' | 'silent'> {
  const address = `${url.replace(/^http/, 'ws')}/realtime/v1/websocket?apikey=${encodeURIComponent(key)}&vsn=1.0.0`
  return new Promise((resolve) => {
    const socket = new WebSocket(address, { handshakeTimeout: patienceMs })
    const timer = setTimeout(() => end('silent'), patienceMs)
    const end = (outcome: 'open' | 'closed' | 'silent'): void => {
      clearTimeout(timer)
      resolve(outcome)
      socket.terminate()
    }
    socket.on('error', () => end('silent'))
    socket.on('close', () => end('silent'))
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
