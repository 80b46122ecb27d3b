const services = ['rest', 'auth', 'storage', 'realtime', 'functions', 'other'] as const
const other = services.length - 1
const indexOf = new Map<string, number>(services.map((name, at) => [name, at]))
const classes = ['2xx', '3xx', '4xx', '5xx'] as const

/** Number of responses of one service and status class. */
export interface RequestCount {
  service: (typeof services)[number]
  status: (typeof classes)[number]
  count: number
}

/** Counts responses by service and status class; `other` is the application and unknown paths. */
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
