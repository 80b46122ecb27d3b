/**
 * Keeps the socket's heartbeat: timers of a hidden page sleep for a minute and more, a worker's don't, and a
 * server closes a socket that is silent so long. Speaks what realtime-js expects of its worker.
 */
addEventListener('message', (event: MessageEvent<{ event?: string; interval?: number }>) => {
  if (event.data.event !== 'start') return
  setInterval(() => postMessage({ event: 'keepAlive' }), event.data.interval ?? 25_000)
})
