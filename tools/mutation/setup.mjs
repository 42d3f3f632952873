/** Properties are drawn as in the tests, and are not made smaller once they fail: that one failed is enough. */
import fc from 'fast-check'
import '../../test/support/property.ts'

fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true })
