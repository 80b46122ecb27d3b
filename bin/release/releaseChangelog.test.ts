import { expect, it } from 'vitest'
import { releaseChangelog } from './releaseChangelog.mjs'

it('the changes that are not released get the version and the date, and the section is left empty', () => {
  const changelog = '# Changelog\n\n## Unreleased\n\n- Costs $& less\n\n### Server\n\n- Faster\n'
  expect(releaseChangelog(changelog, '0.2.0', '2026-11-30')).toEqual({
    changelog:
      '# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-11-30)\n\n- Costs $& less\n\n### Server\n\n- Faster\n',
    section: '## 0.2.0 (2026-11-30)\n\n- Costs $& less\n\n### Server\n\n- Faster\n',
  })
})

it('earlier versions stay as they are', () => {
  const changelog = '# Changelog\n\n## Unreleased\n\n- New\n\n## 0.1.0 (2026-11-01)\n\n- First\n'
  expect(releaseChangelog(changelog, '0.2.0', '2026-11-30')?.changelog).toBe(
    '# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-11-30)\n\n- New\n\n## 0.1.0 (2026-11-01)\n\n- First\n',
  )
})

it.each([
  '# Changelog\n\n## 0.1.0 (2026-11-01)\n\n- First\n',
  '# Changelog\n\n## Unreleased\n\n## 0.1.0\n\n- First\n',
])('a changelog without changes that are not released is refused: %j', (changelog) => {
  expect(releaseChangelog(changelog, '0.2.0', '2026-11-30')).toBeNull()
})
