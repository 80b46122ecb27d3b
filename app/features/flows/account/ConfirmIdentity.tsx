import { i18n } from '@lingui/core'
import { Fragment, useState, type ReactNode } from 'react'
import {
  reauthenticationMethods,
  type CodeAddress,
  type ReauthenticationMethod,
} from '../../../data/account/reauthenticationMethods.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import layout from '../../../ui/dialogLayout.module.css'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import styles from './account.module.css'
import { FactorCode } from './FactorCode.tsx'
import { FactorKey } from './FactorKey.tsx'
import { factorName } from './factorName.ts'
import { SignInAgain, type FormParts } from './SignInAgain.tsx'

interface Props {
  onDone: () => void
  onClose: () => void
}

/** The user authenticates again by a second factor, or by signing in if the account has none. */
export default function ConfirmIdentity({ onDone, onClose }: Props) {
  const { value, failure, retry } = useQuery(reauthenticationMethods)
  const [chosen, setChosen] = useState<string | null>(null)
  const form: FormParts = {
    onDone,
    before: (
      <Button variant="quiet" onClick={onClose}>
        {i18n._('Cancel')}
      </Button>
    ),
    buttonsClass: layout.footer,
  }
  const options: { id: string; label: string; content: ReactNode }[] = value
    ? [
        ...value.factors.map((factor) => {
          const Content = factor.factor_type === 'webauthn' ? FactorKey : FactorCode
          return {
            id: factor.id,
            label: i18n._('Other method: {way}', { way: factorName(factor) }),
            content: <Content factor={factor} autoFocus {...form} />,
          }
        }),
        ...value.methods.map((method) => ({
          id: method,
          label: methodLabel(method, value.codeAddress),
          content: <SignInAgain method={method} account={value} {...form} />,
        })),
      ]
    : []
  const shown = options.find(({ id }) => id === chosen) ?? options[0]

  return (
    <Dialog title={i18n._('Confirm that it’s you')} onClose={onClose}>
      <div className={layout.body}>
        <p>{i18n._('This action needs a confirmation from the last 15 minutes.')}</p>
        {failure ? (
          <>
            <p role="alert">{failure.message}</p>
            <div className={layout.footer}>
              {form.before}
              <Button onClick={retry}>{i18n._('Try again')}</Button>
            </div>
          </>
        ) : !value ? (
          <Skeleton label={i18n._('Loading…')} />
        ) : shown ? (
          <>
            <Fragment key={shown.id}>{shown.content}</Fragment>
            {options.length > 1 ? (
              <div className={styles.options}>
                {options
                  .filter((one) => one !== shown)
                  .map(({ id, label }) => (
                    <Button key={id} variant="quiet" onClick={() => setChosen(id)}>
                      {label}
                    </Button>
                  ))}
              </div>
            ) : null}
          </>
        ) : (
          <>
            <p role="status">
              {value.hasOnlyNewFactors
                ? i18n._(
                    'You added your second factor after signing in. Sign out, sign in again with it, and repeat the action.',
                  )
                : i18n._('Sign out, sign in again, and repeat the action.')}
            </p>
            <div className={layout.footer}>
              <Button onClick={onClose}>{i18n._('Close')}</Button>
            </div>
          </>
        )}
      </div>
    </Dialog>
  )
}

function methodLabel(method: ReauthenticationMethod, to: CodeAddress | null): string {
  if (method === 'password') return i18n._('Use a password')
  if (method === 'passkey') return i18n._('Use a passkey')
  return to && 'phone' in to ? i18n._('Text me a code') : i18n._('Email me a code')
}
