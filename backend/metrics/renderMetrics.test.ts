import { expect, it } from 'vitest'
import { renderMetrics } from './renderMetrics.ts'

it('writes help, type and samples, and escapes label values', () => {
  const text = renderMetrics([
    { name: 'a_total', type: 'counter', help: 'How many.', samples: 3 },
    {
      name: 'b',
      type: 'gauge',
      help: 'Which.',
      samples: [
        { labels: { x: '1', y: 'a"b\\c\nd' }, value: 0.5 },
        { labels: { x: '2', y: '' }, value: 1e21 },
      ],
    },
  ])
  expect(text).toBe(
    [
      '# HELP a_total How many.',
      '# TYPE a_total counter',
      'a_total 3',
      '# HELP b Which.',
      '# TYPE b gauge',
      String.raw`b{x="1",y="a\"b\\c\nd"} 0.5`,
      'b{x="2",y=""} 1e+21',
      '',
    ].join('\n'),
  )
})
