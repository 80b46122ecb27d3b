import { i18n } from '@lingui/core'
import { useCallback } from 'react'
import { Link, Redirect } from 'wouter'
import { finishCallback } from '../../data/session/signIn.ts'
import { Page } from '../../ui/Page.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useAnswer } from '../../ui/useAnswer.ts'
import { pathWithin } from './pathWithin.ts'

/** One exchange per address: a code is worth one try, and drawing twice must not spend it. */
const exchanges = new Map<string, ReturnType<typeof finishCallback>>()

function exchange(url: string) {
  const known = exchanges.get(url)
  if (known) return known
  const asked = finishCallback(url)
  exchanges.set(url, asked)
  return asked
}

/** Back from the backend's verify address with a code to be exchanged for a session. */
export default function Callback() {
  const { href } = location
  const answer = useAnswer(useCallback(() => exchange(href), [href]))
  if (answer?.ok) return <Redirect to={pathWithin(answer.value)} replace />
  if (answer) {
    return (
      <Page title={i18n._('This link did not work')} lead={answer.failure.sentence}>
        <Link href="/sign-in">{i18n._('Ask for a new link')}</Link>
      </Page>
    )
  }
  return <Skeleton label={i18n._('Signing in')} />
}
