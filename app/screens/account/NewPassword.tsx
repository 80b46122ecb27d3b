import { i18n } from '@lingui/core'
import { useState } from 'react'
import { Redirect, useLocation } from 'wouter'
import { useAccount } from '../../data/session/account.ts'
import { setPassword } from '../../data/session/signIn.ts'
import { Button } from '../../ui/Button.tsx'
import { Form } from '../../ui/Form.tsx'
import { Page } from '../../ui/Page.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { useNotice } from '../../ui/notice.ts'
import { useAction } from './useAction.ts'

/** The least that is worth calling a password. */
const SHORTEST = 8

/** Chooses a password, after a mailed link has shown whose account it is. */
export default function NewPassword() {
  const account = useAccount()
  const notice = useNotice()
  const [, navigate] = useLocation()
  const [password, setWord] = useState('')
  const action = useAction()

  const save = async () => {
    if (password.length < SHORTEST || !(await action.run(() => setPassword(password)))) return
    notice({ words: i18n._('Your new password is set.') })
    navigate('/', { replace: true })
  }

  if (account.status === 'signed-out') return <Redirect to="/forgotten" replace />
  return (
    <Page title={i18n._('Choose a new password')} lead={account.email}>
      <Form onSubmit={() => void save()} failure={action.failure}>
        <TextField
          label={i18n._('New password')}
          hint={i18n._('At least {count} characters. A few words in a row are good.', { count: SHORTEST })}
          type="password"
          autoComplete="new-password"
          value={password}
          onChange={(event) => setWord(event.currentTarget.value)}
        />
        <Button type="submit" look="primary" busy={action.busy} disabled={password.length < SHORTEST}>
          {i18n._('Save password')}
        </Button>
      </Form>
    </Page>
  )
}
