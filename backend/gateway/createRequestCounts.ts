const services = ['rest', 'auth', 'storage', 'realtime', 'functions', 'other'] as const
const other = services.length - 1
const indexOf = new Map<string, number>(services.map((name, at) => [name, at]))
const classes = ['2xx', '3xx', '4xx', '5xx'] as const

/** Requests that were answered, of one service and class of status. */
export interface RequestCount {
  service: (typeof services)[number]
  status: (typeof classes)[number]
  count: number
}

/** Counts answers by service and class of status; `other` is the application and what nobody serves. */
export function createRequestCounts(): {
  /** @param path of a service (`/rest/v1/…`), or any other */
  add(path: string, status: number): void
  all(): RequestCount[]
} {
  const counts = Array.from({ length: services.length * classes.length }, () => 0)
  return {
    add(path, status) {
      const service = indexOf.get(path.slice(1, path.indexOf('/', 1))) ?? other
      const at = Math.min(3, Math.max(0, Math.floor(status / 100) - 2))
      counts[service * classes.length + at]!++
    },
    all: () =>
      services.flatMap((service, row) =>
        classes.map((status, column) => ({
          service,
          status,
          count: counts[row * classes.length + column]!,
        })),
      ),
  }
}
