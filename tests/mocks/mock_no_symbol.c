/* Has no entry symbol.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
int mock_no_symbol_LTX_something_else;
