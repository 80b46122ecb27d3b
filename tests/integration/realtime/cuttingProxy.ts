import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A proxy whose connections can be broken within a frame. */
export interface CuttingProxy {
  url: string
  /** Breaks the connection from `port` once this many further bytes were sent to the client. */
  cutAfter(port: number, bytes: number): void
  close(): Promise<void>
}

export async function cuttingProxy(target: string): Promise<CuttingProxy> {
  const { port, hostname } = new URL(target)
  const cuts = new Map<number, (bytes: number) => void>()
  const lines = new Set<Socket>()

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    const from = client.remotePort!
    let left = Infinity
    const destroy = (): void => {
      client.destroy()
      upstream.destroy()
    }
    for (const line of [client, upstream]) {
      lines.add(line)
      line.setNoDelay(true)
      line.on('error', () => {})
      line.on('close', () => {
        lines.delete(line)
        cuts.delete(from)
        destroy()
      })
    }
    cuts.set(from, (bytes) => {
      left = bytes
      if (left === 0) destroy()
    })
    client.pipe(upstream)
    upstream.on('data', (data) => {
      const passed = data.length > left ? data.subarray(0, left) : data
      left -= passed.length
      client.write(passed, () => {
        if (left === 0) destroy()
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cutAfter: (from, bytes) => cuts.get(from)?.(bytes),
    async close() {
      for (const line of lines) line.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
