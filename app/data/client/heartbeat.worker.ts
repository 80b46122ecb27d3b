/**
 * Times the socket's heartbeat: browsers delay timers of hidden pages by a minute or more, in which the server closes a
 * silent socket, but not those of workers. Implements the messages of realtime-js's worker.
 */
addEventListener('message', (event: MessageEvent<{ event?: string; interval?: number }>) => {
  if (event.data.event !== 'start') return
  setInterval(() => postMessage({ event: 'keepAlive' }), event.data.interval ?? 25_000)
})
