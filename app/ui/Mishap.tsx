import { i18n } from '@lingui/core'
import { Component, type ReactNode } from 'react'
import { Button } from './Button.tsx'
import { Page } from './Page.tsx'

/** Catches what no one expected while drawing: a sentence and a way on, instead of an empty page. */
export class Mishap extends Component<{ children: ReactNode }, { happened: boolean }> {
  override state = { happened: false }

  static getDerivedStateFromError() {
    return { happened: true }
  }

  override render() {
    if (!this.state.happened) return this.props.children
    return (
      <Page
        title={i18n._('Something broke here')}
        lead={i18n._('What you wrote is kept on this device. Load the page again to go on.')}
      >
        <div>
          <Button look="primary" onClick={() => location.reload()}>
            {i18n._('Load again')}
          </Button>
        </div>
      </Page>
    )
  }
}
