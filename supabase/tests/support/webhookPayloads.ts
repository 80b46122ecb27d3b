/** A request of a sender, written from its public description. */
export interface WebhookRequest {
  title: string
  headers?: Record<string, string>
  payload: object
}

const repository = { full_name: 'harbour/quay', html_url: 'https://github.example/harbour/quay' }
const ann = { login: 'ann', html_url: 'https://github.example/ann' }
const github = (event: string, payload: object): WebhookRequest => ({
  title: `GitHub: ${event}`,
  headers: { 'x-github-event': event },
  payload: { repository, sender: ann, ...payload },
})
const pullRequest = {
  number: 12,
  title: 'Fix `__init__` of the *pump*',
  html_url: 'https://github.example/harbour/quay/pull/12',
  body: '<!-- Describe the change -->\nThe pump **stops** at low tide. <!channel>\n\n- [x] tested',
}
const commit = (id: string, message: string) => ({
  id: id.repeat(40),
  message,
  url: `https://github.example/harbour/quay/commit/${id}`,
  author: { name: 'Ann' },
})

const project = { path_with_namespace: 'harbour/crane', web_url: 'https://gitlab.example/harbour/crane' }
const gitlab = (kind: string, payload: object): WebhookRequest => ({
  title: `GitLab: ${kind}`,
  headers: { 'x-gitlab-event': `${kind} Hook` },
  payload: { object_kind: kind, user: { name: 'Bea', username: 'bea' }, project, ...payload },
})

const alert = (status: string, instance: string, severity: string) => ({
  status,
  labels: { alertname: 'DiskFull', instance, severity },
  annotations: {
    summary: `The disk of ${instance} is 96 % full`,
    description: 'It fills in about 3 hours.',
    runbook_url: 'https://wiki.example/disk',
  },
  startsAt: '2026-11-30T08:12:00Z',
  endsAt: status === 'resolved' ? '2026-11-30T09:40:00Z' : '0001-01-01T00:00:00Z',
  generatorURL: 'https://prometheus.example/graph?g0.expr=disk',
  fingerprint: 'a1b2',
})
const alerts = (status: string, ...list: object[]) => ({
  version: '4',
  groupKey: '{}:{alertname="DiskFull"}',
  truncatedAlerts: 0,
  status,
  receiver: 'team',
  groupLabels: { alertname: 'DiskFull' },
  commonLabels: { alertname: 'DiskFull' },
  commonAnnotations: {},
  externalURL: 'https://alertmanager.example',
  alerts: list,
})
const grafana = {
  dashboardURL: 'https://grafana.example/d/1',
  panelURL: 'https://grafana.example/d/1?viewPanel=2',
  silenceURL: 'https://grafana.example/silence',
}

const monitor = { id: 3, name: 'Tide table', url: 'https://tides.example/', type: 'http', hostname: null }
const heartbeat = (status: number, msg: string) => ({
  monitorID: 3,
  status,
  time: '2026-11-30 08:12:30.120',
  msg,
  ping: status === 1 ? 84.4 : null,
  important: true,
})

const sentry = (resource: string, payload: object): WebhookRequest => ({
  title: `Sentry: ${resource}`,
  headers: { 'sentry-hook-resource': resource },
  payload: { installation: { uuid: 'a' }, actor: { type: 'application', name: 'Sentry' }, ...payload },
})

/** Requests of well-known senders. */
export const WEBHOOK_REQUESTS: readonly WebhookRequest[] = [
  {
    title: 'Slack: attachments',
    payload: {
      text: 'Deployment of *quay*',
      attachments: [
        {
          color: 'good',
          author_name: 'Deployer',
          title: 'Build 512',
          title_link: 'https://ci.example/512',
          text: 'All <https://ci.example/512/tests|*214 tests*> passed in `main`.',
          fields: [
            { title: 'Environment', value: 'production', short: true },
            { title: 'Version', value: '1.8.0', short: true },
            { title: 'Changes', value: '• __init__ is faster\n• :tada: new crane' },
          ],
          actions: [{ type: 'button', text: 'Open', url: 'https://ci.example/512' }],
          footer: 'ci.example',
          ts: 1_796_027_520,
        },
      ],
    },
  },
  github('ping', { zen: 'Keep it simple.', hook_id: 1 }),
  github('push', {
    ref: 'refs/heads/main',
    compare: 'https://github.example/harbour/quay/compare/a...b',
    commits: [commit('a', 'Measure the *tide*\n\nDetails'), commit('b', 'Fix snake_case_name')],
  }),
  github('pull_request', { action: 'opened', number: 12, pull_request: pullRequest }),
  github('pull_request', { action: 'closed', pull_request: { ...pullRequest, merged: true } }),
  github('issues', {
    action: 'closed',
    issue: {
      number: 7,
      title: 'Pump leaks',
      html_url: 'https://github.example/i/7',
      state_reason: 'completed',
    },
  }),
  github('issue_comment', {
    action: 'created',
    issue: { number: 7, title: 'Pump leaks', html_url: 'https://github.example/i/7' },
    comment: { html_url: 'https://github.example/i/7#c1', body: 'It is the **valve**.' },
  }),
  github('pull_request_review', {
    action: 'submitted',
    pull_request: pullRequest,
    review: {
      state: 'changes_requested',
      html_url: 'https://github.example/r/1',
      body: 'Please add a test.',
    },
  }),
  github('release', {
    action: 'published',
    release: {
      name: 'Quay 1.8',
      tag_name: 'v1.8',
      html_url: 'https://github.example/r',
      body: '## Changes\n\n- faster\n- smaller',
    },
  }),
  github('workflow_run', {
    action: 'completed',
    workflow_run: {
      name: 'CI',
      display_title: 'Measure the tide',
      conclusion: 'failure',
      html_url: 'https://github.example/runs/1',
      head_branch: 'main',
      actor: ann,
    },
  }),
  {
    title: 'Gitea: push',
    headers: { 'x-github-event': 'push', 'x-gitea-event': 'push' },
    payload: {
      ref: 'refs/heads/main',
      compare_url: 'https://git.example/compare/a...b',
      total_commits: 1,
      commits: [commit('c', 'Paint the buoys')],
      repository: { full_name: 'harbour/buoys', html_url: 'https://git.example/harbour/buoys' },
      sender: { login: 'eli', html_url: 'https://git.example/eli' },
    },
  },
  gitlab('push', {
    user_name: 'Bea',
    ref: 'refs/heads/main',
    after: 'd'.repeat(40),
    total_commits_count: 12,
    commits: [
      {
        id: 'd'.repeat(40),
        title: 'Turn the crane',
        message: 'Turn the crane',
        url: 'https://gitlab.example/c/d',
        author: { name: 'Bea' },
      },
    ],
  }),
  gitlab('merge_request', {
    object_attributes: {
      iid: 4,
      action: 'merge',
      title: 'Grease the crane',
      url: 'https://gitlab.example/mr/4',
      source_branch: 'grease',
      target_branch: 'main',
    },
  }),
  gitlab('issue', {
    object_attributes: {
      iid: 9,
      action: 'open',
      title: 'Secret',
      confidential: true,
      description: 'Hidden',
      url: 'https://gitlab.example/i/9',
    },
  }),
  gitlab('note', {
    object_attributes: { note: 'Looks good @all', url: 'https://gitlab.example/mr/4#n1' },
    merge_request: { iid: 4, title: 'Grease the crane' },
  }),
  gitlab('pipeline', {
    object_attributes: { id: 31, ref: 'main', status: 'failed' },
    commit: { title: 'Turn the crane', url: 'https://gitlab.example/c/d' },
    builds: [
      { name: 'lint', status: 'success' },
      { name: 'test', status: 'failed' },
    ],
  }),
  {
    title: 'Alertmanager: firing',
    payload: alerts('firing', alert('firing', 'quay-1', 'critical'), alert('firing', 'quay-2', 'warning')),
  },
  { title: 'Alertmanager: resolved', payload: alerts('resolved', alert('resolved', 'quay-1', 'critical')) },
  {
    title: 'Grafana: firing',
    payload: {
      ...alerts('firing', { ...alert('firing', 'quay-1', 'critical'), ...grafana }),
      orgId: 1,
      title: '[FIRING:1] DiskFull',
      state: 'alerting',
      message: '**Firing**',
    },
  },
  {
    title: 'Uptime Kuma: down',
    payload: {
      heartbeat: heartbeat(0, 'connect ECONNREFUSED'),
      monitor,
      msg: '[Tide table] [🔴 Down] connect ECONNREFUSED',
    },
  },
  {
    title: 'Uptime Kuma: up',
    payload: { heartbeat: heartbeat(1, '200 - OK'), monitor, msg: '[Tide table] [✅ Up] 200 - OK' },
  },
  { title: 'Uptime Kuma: test', payload: { heartbeat: null, monitor: null, msg: 'My webhook Testing' } },
  sentry('issue', {
    action: 'created',
    data: {
      issue: {
        title: "TypeError: 'NoneType' object",
        culprit: 'quay.pump in start',
        level: 'error',
        shortId: 'QUAY-1F',
        web_url: 'https://sentry.example/issues/1/',
        project: { name: 'Quay', slug: 'quay' },
        lastSeen: '2026-11-30T08:12:00Z',
      },
    },
  }),
  sentry('event_alert', {
    action: 'triggered',
    data: {
      triggered_rule: 'Many errors',
      event: {
        title: 'ValueError',
        culprit: 'quay.tide',
        level: 'fatal',
        web_url: 'https://sentry.example/e/1',
        environment: 'production',
        release: 'quay@1.8',
        datetime: '2026-11-30T08:12:00Z',
      },
    },
  }),
  sentry('metric_alert', {
    action: 'resolved',
    data: {
      description_title: 'Resolved: error rate',
      description_text: '2 % of requests in the last 10 minutes',
      web_url: 'https://sentry.example/a/1',
    },
  }),
  {
    title: 'Discord: embeds',
    payload: {
      username: 'Harbour *master*',
      content: 'High water <t:1796027520:R> <:wave:123456789012345678> @everyone',
      embeds: [
        {
          title: 'Tide table',
          url: 'https://tides.example/',
          description: 'Low water was ||at 02:01||, __see below__.',
          color: 3_447_003,
          author: { name: 'Tides', url: 'https://tides.example/about' },
          fields: [
            { name: 'Height', value: '5.2 m', inline: true },
            { name: 'Wind', value: '**4** Bft', inline: true },
          ],
          image: { url: 'https://tides.example/curve.png' },
          footer: { text: 'tides.example' },
          timestamp: '2026-11-30T08:12:00.000Z',
        },
      ],
    },
  },
]
