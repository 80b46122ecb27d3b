import type { CardColor, MessageCard } from '../../../../wire/messages.ts'
import type { Content } from '../../_shared/composeMessage.ts'
import { objectOf, objectsOf, textOf, type Fields } from '../../_shared/payloadFields.ts'
import { bold, code, counted, firstText, line, linked, markdownBlock } from './markdown.ts'

const maxCommits = 10

/**
 * An event of GitHub, Gitea or Forgejo, whose webhooks have the same form; null for events that post nothing.
 * @param event the name of the event in the headers, such as `pull_request`
 */
export function readGithub(event: string, payload: Fields): Content | null {
  const action = textOf(payload['action'])
  switch (event) {
    case 'ping':
      return sentence(payload, 'sends its events here')
    case 'push':
      return readPush(payload)
    case 'create':
    case 'delete':
      return sentence(
        payload,
        `${event === 'create' ? 'created' : 'deleted'} the ${line(payload['ref_type'])} ${code(payload['ref'])}`,
      )
    case 'fork':
      return sentence(payload, `forked to ${repositoryLink(objectOf(payload['forkee']))}`)
    case 'star':
      return action === 'created' ? sentence(payload, 'starred it') : null
    case 'release':
      return action === 'published' ? readRelease(payload) : null
    case 'issues':
      return readItem(payload, 'issue', objectOf(payload['issue']))
    case 'pull_request':
      return readItem(payload, 'pull request', objectOf(payload['pull_request']))
    case 'discussion':
      return readItem(payload, 'discussion', objectOf(payload['discussion']))
    case 'issue_comment':
    case 'pull_request_comment':
    case 'pull_request_review_comment':
    case 'discussion_comment':
    case 'commit_comment':
      return action === 'created' || action === '' ? readComment(payload) : null
    case 'pull_request_review':
      return action === 'submitted' ? readReview(payload, textOf(objectOf(payload['review'])['state'])) : null
    case 'pull_request_review_approved':
    case 'pull_request_approved':
      return readReview(payload, 'approved')
    case 'pull_request_review_rejected':
    case 'pull_request_rejected':
      return readReview(payload, 'changes_requested')
    case 'workflow_run':
      return action === 'completed' ? readRun(payload, objectOf(payload['workflow_run'])) : null
    case 'deployment_status':
      return readDeployment(payload)
    default:
      return null
  }
}

function repositoryLink(repository: Fields): string {
  return linked(repository['full_name'], repository['html_url'])
}

function personLink(person: Fields): string {
  return linked(firstText(person, 'login', 'username', 'name'), person['html_url'])
}

/** "**octo/app** · ann pushed …" */
function sentence(payload: Fields, text: string, cards: MessageCard[] = []): Content | null {
  const sender = personLink(objectOf(payload['sender']))
  const repository =
    repositoryLink(objectOf(payload['repository'])) || line(objectOf(payload['organization'])['login'])
  if (repository === '' && sender === '') return null
  return {
    text: `${[repository, [sender, text].filter(Boolean).join(' ')].filter(Boolean).join(' · ')}`,
    cards,
  }
}

function readPush(payload: Fields): Content | null {
  const commits = objectsOf(payload['commits'], maxCommits)
  const total = Array.isArray(payload['commits']) ? payload['commits'].length : 0
  // Created and deleted branches without commits have an event of their own.
  if (total === 0) return null
  const branch = code(textOf(payload['ref']).replace(/^refs\/(?:heads|tags)\//, ''))
  const compare = firstText(payload, 'compare', 'compare_url')
  const verb = payload['forced'] === true ? 'force-pushed' : 'pushed'
  const lines = commits.map((commit) => {
    const author = line(objectOf(commit['author'])['name'])
    return `${linked(textOf(commit['id']).slice(0, 7), commit['url'])} ${line(textOf(commit['message']).split('\n')[0])}${author === '' ? '' : ` – ${author}`}`
  })
  if (total > commits.length) lines.push(`and ${counted(total - commits.length, 'more commit')}`)
  return sentence(payload, `${verb} ${linked(counted(total, 'commit'), compare)} to ${branch}`, [
    { text: lines.join('\n') },
  ])
}

function readRelease(payload: Fields): Content | null {
  const release = objectOf(payload['release'])
  const name = firstText(release, 'name', 'tag_name')
  return sentence(payload, 'published a release', [
    { color: 'blue', title: linked(name, release['html_url']), text: markdownBlock(release['body']) },
  ])
}

/** What an action is called, and its colour. */
const ACTIONS: Record<string, [verb: string, color: CardColor]> = {
  opened: ['opened', 'green'],
  created: ['opened', 'green'],
  reopened: ['reopened', 'green'],
  ready_for_review: ['marked as ready for review', 'green'],
  closed: ['closed', 'gray'],
  merged: ['merged', 'purple'],
}

function itemLink(item: Fields): string {
  const number = typeof item['number'] === 'number' ? `#${item['number']} ` : ''
  return linked(number + textOf(item['title']), item['html_url'])
}

function readItem(payload: Fields, noun: string, item: Fields): Content | null {
  const action = textOf(payload['action'])
  const isMerged = action === 'closed' && item['merged'] === true
  const known = isMerged ? 'merged' : action
  if (!Object.hasOwn(ACTIONS, known)) return null
  const [verb, color] = ACTIONS[known]!
  // GitHub closes issues as done unless it names another reason.
  const isDone = known === 'closed' && noun === 'issue' && item['state_reason'] !== 'not_planned'
  const isNew = action === 'opened' || action === 'created'
  return sentence(payload, `${verb} ${noun === 'issue' ? 'an' : 'a'} ${noun}`, [
    {
      color: isDone ? 'purple' : color,
      title: itemLink(item),
      ...(isNew ? { text: markdownBlock(item['body']) } : {}),
    },
  ])
}

function readComment(payload: Fields): Content | null {
  const comment = objectOf(payload['comment'])
  const item = ['issue', 'pull_request', 'discussion']
    .map((key) => objectOf(payload[key]))
    .find((one) => one['title'])
  const subject = item ? itemLink(item) : code(textOf(comment['commit_id']).slice(0, 7))
  return sentence(payload, `${linked('commented', comment['html_url'])} on ${subject}`, [
    { text: markdownBlock(comment['body']) },
  ])
}

function readReview(payload: Fields, state: string): Content | null {
  const review = objectOf(payload['review'])
  const reviews: Record<string, [verb: string, color: CardColor]> = {
    approved: ['approved', 'green'],
    changes_requested: ['requested changes to', 'orange'],
    commented: ['reviewed', 'gray'],
  }
  if (!Object.hasOwn(reviews, state)) return null
  const [verb, color] = reviews[state]!
  return sentence(payload, `${linked(verb, review['html_url'])} a pull request`, [
    {
      color,
      title: itemLink(objectOf(payload['pull_request'])),
      text: markdownBlock(firstText(review, 'body', 'content')),
    },
  ])
}

/** The colour of how a run ended. */
function conclusionColor(conclusion: string): CardColor {
  if (conclusion === 'success') return 'green'
  if (['failure', 'timed_out', 'startup_failure', 'error'].includes(conclusion)) return 'red'
  return conclusion === 'action_required' ? 'yellow' : 'gray'
}

function readRun(payload: Fields, run: Fields): Content | null {
  const conclusion = textOf(run['conclusion'])
  const words = conclusion.replaceAll('_', ' ')
  return sentence({ ...payload, sender: null }, `workflow ${bold(run['name'])}: ${line(words)}`, [
    {
      color: conclusionColor(conclusion),
      title: linked(firstText(run, 'display_title', 'name'), run['html_url']),
      fields: [
        { name: 'Branch', value: code(run['head_branch']), short: true },
        { name: 'Started by', value: personLink(objectOf(run['actor'])), short: true },
      ],
    },
  ])
}

function readDeployment(payload: Fields): Content | null {
  const status = objectOf(payload['deployment_status'])
  const state = textOf(status['state'])
  if (!['success', 'failure', 'error'].includes(state)) return null
  const environment =
    firstText(status, 'environment') || firstText(objectOf(payload['deployment']), 'environment')
  return sentence({ ...payload, sender: null }, `deployment to ${bold(environment)}: ${line(state)}`, [
    {
      color: conclusionColor(state),
      text: [
        linked('Environment', status['environment_url']),
        linked('Log', firstText(status, 'log_url', 'target_url')),
      ]
        .filter((text) => text.startsWith('['))
        .join(' · '),
    },
  ])
}
