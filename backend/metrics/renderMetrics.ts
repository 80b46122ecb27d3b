/** A metric with one sample, or with one for each set of labels. */
export interface Metric {
  name: string
  /** Counters only grow, and end in `_total`. */
  type: 'counter' | 'gauge'
  help: string
  /** Durations in seconds, sizes in bytes. Nothing that grows with use may be a label: no topic, no user. */
  samples: number | { labels: Record<string, string>; value: number }[]
}

/** Source: "Exposition formats" in the manual of Prometheus, text format 0.0.4. */
export function renderMetrics(metrics: readonly Metric[]): string {
  return metrics.map(renderMetric).join('')
}

function renderMetric({ name, type, help, samples }: Metric): string {
  const lines =
    typeof samples === 'number'
      ? [`${name} ${samples}`]
      : samples.map(({ labels, value }) => `${name}{${renderLabels(labels)}} ${value}`)
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n')
}

function renderLabels(labels: Record<string, string>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`)
    .join(',')
}
