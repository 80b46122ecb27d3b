import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** Runs `linnet start` as `npm start` does. An unknown option ends a start that the check lets through. */
const start = (swallowed: NodeJS.ProcessEnv): string =>
  spawnSync(process.execPath, [join(import.meta.dirname, 'linnet'), 'start', '--unknown'], {
    env: { ...process.env, npm_lifecycle_event: 'start', ...swallowed },
    encoding: 'utf8',
  }).stderr

it('"npm start --demo" names the command instead of starting another server', () => {
  expect(start({ npm_config_demo: 'true' })).toBe(
    'npm has taken these options for its own: --demo. Write "--" before them: npm start -- --demo\n',
  )
  expect(start({ npm_config_port: 'true', npm_config_data: './linnet-demo' })).toMatch(
    /npm start -- --port … --data \.\/linnet-demo\n$/,
  )
})

it('other settings of npm do not prevent a start', () => {
  for (const env of [
    {},
    { npm_config_json: 'true' },
    { npm_config_demo: 'true', npm_lifecycle_event: 'test' },
  ])
    expect(start(env)).toContain('has no option --unknown')
})
