import { expect, it } from 'vitest'
import { compareAdvisories, parseReport } from './audit.mjs'

// As npm 10 prints it, with one advisory of a package that two others use.
const report = {
  auditReportVersion: 2,
  vulnerabilities: {
    '@lingui/core': {
      name: '@lingui/core',
      severity: 'high',
      isDirect: true,
      via: ['semver'],
      effects: [],
      range: '',
      nodes: ['node_modules/@lingui/core'],
      fixAvailable: false,
    },
    semver: {
      name: 'semver',
      severity: 'high',
      isDirect: true,
      via: [
        {
          source: 1_088_948,
          name: 'semver',
          dependency: 'semver',
          title: 'semver vulnerable to Regular Expression Denial of Service',
          url: 'https://github.com/advisories/GHSA-c2qf-rxjj-qqgw',
          severity: 'high',
          cwe: ['CWE-1333'],
          cvss: { score: 7.5, vectorString: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H' },
          range: '<7.5.2',
        },
      ],
      effects: ['@lingui/core'],
      range: '<7.5.2',
      nodes: ['node_modules/semver'],
      fixAvailable: true,
    },
  },
  metadata: { vulnerabilities: { info: 0, low: 0, moderate: 0, high: 2, critical: 0, total: 2 } },
}
const accepted = {
  advisory: 'GHSA-c2qf-rxjj-qqgw',
  package: 'semver',
  reason: 'only versions of this repository are parsed',
}

it('an advisory that is not accepted is reported once, with its address', () => {
  expect(compareAdvisories(report, [])).toEqual([
    'semver <7.5.2 (high): semver vulnerable to Regular Expression Denial of Service, https://github.com/advisories/GHSA-c2qf-rxjj-qqgw',
  ])
})

it('an accepted advisory is not reported', () => {
  expect(compareAdvisories(report, [accepted])).toEqual([])
})

it('an accepted advisory of another package is not enough', () => {
  expect(compareAdvisories(report, [{ ...accepted, package: 'pg' }])).toHaveLength(2)
})

it('an accepted advisory that no longer occurs is reported', () => {
  expect(compareAdvisories({ ...report, vulnerabilities: {} }, [accepted])).toEqual([
    'GHSA-c2qf-rxjj-qqgw semver is no longer reported: remove it from bin/acceptedAdvisories.json',
  ])
})

// As npm prints them for a registry without advisories, and without a network.
it.each([
  [
    '{"message":"405 Method Not Allowed - POST https://registry.example/-/npm/v1/security/advisories/bulk","method":"POST","statusCode":405,"body":"","error":{"summary":"","detail":""}}',
    '405 Method Not Allowed - POST https://registry.example/-/npm/v1/security/advisories/bulk',
  ],
  [
    '{"message":"request to https://registry.example/-/npm/v1/security/advisories/bulk failed, reason: connect ECONNREFUSED","error":{"summary":"","detail":""}}',
    'request to https://registry.example/-/npm/v1/security/advisories/bulk failed, reason: connect ECONNREFUSED',
  ],
  ['', 'npm printed nothing'],
])('a report without a result is no failure: %s', (output, message) => {
  const read = parseReport(output)
  expect(compareAdvisories(read, [accepted])).toBeNull()
  expect(read.message).toBe(message)
})
