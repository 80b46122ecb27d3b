import { createRequire } from 'node:module'

type WebSocketClass = new (url: string | URL, protocols?: string | string[]) => { binaryType: string }

let found: WebSocketClass | null = null

function load(): WebSocketClass {
  found ??= (createRequire(import.meta.url)('ws') as { WebSocket: WebSocketClass }).WebSocket
  return found
}

/**
 * `WebSocket`, which Node 20 lacks. Its code is read when the first one is opened: client libraries only ask
 * whether there is one, and a function that starts should not pay for that.
 */
export const lateWebSocket = new Proxy(function WebSocket() {}, {
  construct(_, [url, protocols]: [string | URL, (string | string[])?]) {
    const socket = new (load())(url, protocols)
    // As browsers and Deno have it.
    socket.binaryType = 'blob'
    return socket
  },
  get: (_, key) => Reflect.get(load(), key) as unknown,
  has: (_, key) => Reflect.has(load(), key),
})
