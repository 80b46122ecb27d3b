export interface ServerStats {
  requests: number
  failedRequests: number
  sockets: number
  topics: number
  memoryBytes: number
  /** Seconds since the server started. */
  uptime: number
}

/** Counters of the services since the start. */
export function readServerStats({
  requests,
  realtime,
}: {
  requests: () => { status: string; count: number }[]
  realtime: () => { sockets: number; topics: number }
}): ServerStats {
  const sum = (counts: { count: number }[]): number => counts.reduce((all, { count }) => all + count, 0)
  const finished = requests()
  const { sockets, topics } = realtime()
  return {
    requests: sum(finished),
    failedRequests: sum(finished.filter(({ status }) => status === '5xx')),
    sockets,
    topics,
    memoryBytes: process.memoryUsage.rss(),
    uptime: process.uptime(),
  }
}
